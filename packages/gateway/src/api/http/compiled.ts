import * as z from 'zod/mini';

type Schema = z.core.$ZodType;

/**
 * The same schema, checked by code that zod makes for its objects. The contract is written with zod's small half, which
 * never does that because a browser may forbid it; a page of rows is checked twice as fast here.
 */
export function compiled<S extends Schema>(schema: S): S {
  return made(schema) as S;
}

function made(schema: Schema): Schema {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  if (def.type === 'object') {
    const shape = Object.entries(def.shape).map(([key, value]) => [key, made(value)]);
    return new z.core.$ZodObjectJIT({ ...def, shape: Object.fromEntries(shape) as typeof def.shape });
  }
  if (def.type === 'array') return new z.core.$ZodArray({ ...def, element: made(def.element) });
  if (def.type === 'pipe') return new z.core.$ZodPipe({ ...def, in: made(def.in), out: made(def.out) });
  return schema;
}
