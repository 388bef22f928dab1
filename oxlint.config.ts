import { defineConfig } from 'oxlint';
import { importRules } from './test/house/import-table.ts';

/** Rules that need types take ten times as long as all others: a fast run leaves them to the whole one. */
const typeAware = process.env['CLAWRDEN_FAST'] !== '1';

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'node', 'vitest'],
  options: { typeAware, denyWarnings: true, reportUnusedDisableDirectives: typeAware ? 'error' : 'off' },
  ignorePatterns: ['src/gen/**', 'build/**', '.lab/**', 'coverage/**'],
  categories: { correctness: 'error', suspicious: 'error' },
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'no-throw-literal': 'error',
    'prefer-promise-reject-errors': 'error',
    'typescript/return-await': ['error', 'error-handling-correctness-only'],
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-default-export': 'error',
    'import/no-mutable-exports': 'error',
    'unicorn/prefer-node-protocol': 'error',
    eqeqeq: 'error',
    'no-console': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'max-lines': ['error', { max: 300 }],
    'max-lines-per-function': ['error', { max: 60, skipComments: true }],

    // The compiler already says when a path returns nothing.
    'typescript/consistent-return': 'off',
    // What leaves JSON.parse or an Engine answer is typed by an assertion.
    'typescript/no-unsafe-type-assertion': 'off',
    // Spreads lay an argument list out in rows; a copy is sorted in place.
    'unicorn/no-useless-spread': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/no-array-reverse': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'import/no-unassigned-import': 'off',
    // Text that agents write holds them, and tests must.
    'no-control-regex': 'off',
    // It sees no change that a callback makes.
    'no-unmodified-loop-condition': 'off',
    'import/no-named-as-default-member': 'off',
    // Node has members of that form that we need.
    'no-underscore-dangle': 'off',
  },
  overrides: [
    {
      files: ['**/*.test.ts', 'test/**'],
      rules: {
        'typescript/no-non-null-assertion': 'off',
        'typescript/no-misused-spread': 'off',
        'max-lines-per-function': 'off',
        'no-console': 'off',
        'vitest/no-conditional-expect': 'off',
        // Waiting for something that must come is an assertion.
        'vitest/expect-expect': 'off',
      },
    },
    {
      // Their readers want a default export.
      files: ['*.config.ts', 'test/run/tally-reporter.ts', 'test/lab/global-setup.ts'],
      rules: { 'import/no-default-export': 'off' },
    },
    {
      // Builds everything, in reading order: nothing closes over what does not exist yet.
      files: ['**/main.ts'],
      rules: {
        'max-lines-per-function': 'off',
        'no-use-before-define': ['error', { functions: false, classes: false, variables: true }],
      },
    },
    ...importRules(),
  ],
});
