/** Packages that the bundle of the programs loads from beside it: they read files of their own, hold native code, or must be there before another one. */
export const besideBundle = [
  ...['@grpc/proto-loader', '@grpc/reflection', '@peculiar/x509', 'better-sqlite3', 'pino'],
  'reflect-metadata',
];
