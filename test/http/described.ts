import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../src/http-api/open-api.ts';
import type { RouteName } from '../../src/http-api/routes.ts';

export interface DescribedOperation {
  readonly operationId: RouteName;
  readonly responses: {
    readonly [Status in 200 | 202]?: {
      readonly content: Readonly<Record<string, { readonly schema: object }>>;
    };
  };
}

export interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: { readonly schemas: { readonly Problem: object } };
}

/** Holds answers to the OpenAPI description, as a client would that knows nothing else. */
export interface Described {
  /** What is wrong with the answer; empty if it is as described. */
  readonly faultsOf: (
    name: RouteName,
    type: string,
    answer: unknown,
    status?: 200 | 202,
  ) => readonly string[];
  readonly faultsOfProblem: (answer: unknown) => readonly string[];
}

export function described(document = openApiDocument('1') as unknown as Description): Described {
  const ajv = new Ajv2020({ strict: true, allErrors: true, validateFormats: false });
  const known = new Map<string, ValidateFunction>();
  const faults = (key: string, schema: object | undefined, answer: unknown) => {
    const check = known.get(key) ?? ajv.compile(schema ?? false);
    known.set(key, check);
    return check(answer)
      ? []
      : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  return {
    faultsOf: (name, type, answer, status = 200) => {
      const operation = operations.find(({ operationId }) => operationId === name);
      return faults(`${name} ${type} ${status}`, operation?.responses[status]?.content[type]?.schema, answer);
    },
    faultsOfProblem: (answer) => faults('problem', document.components.schemas.Problem, answer),
  };
}
