import AjvCompiler from '@fastify/ajv-compiler';

/**
 * Input is checked by Fastify's own compiler, with a memory of what it made: a schema is compiled once in a process. The service
 * builds one app and gains nothing. Tests build hundreds from the same schemas, and compiling them was most of what a test world took.
 * Answers are written by V8, which takes a half to a quarter of what functions compiled from their schemas took.
 */
export const compilersFactory = {
  buildValidator: remembering(AjvCompiler()),
  buildSerializer: () => () => JSON.stringify,
};

type Factory = (...options: unknown[]) => (route: { schema: unknown }) => unknown;

/** All apps compile with the same options and have no shared schemas, so that a schema's text says all. */
function remembering<F>(factory: F): F {
  const known = new Map<string, unknown>();
  const build: Factory = (...options) => {
    const compile = (factory as Factory)(...options);
    return (route) => {
      const text = JSON.stringify(route.schema);
      const made = known.get(text) ?? compile(route);
      known.set(text, made);
      return made;
    };
  };
  return build as F;
}
