import { check, type Endpoint, message, type Problem, type Segment } from '@sallyport/sdk/contract';
import type { Context as HonoContext } from 'hono';
import { Failure, failure } from '../failure.ts';

/** The parts of a request as its handler gets them, checked. */
export type Input = { params?: unknown; query?: unknown; body?: unknown };

type Schema = Parameters<typeof check>[0];

/**
 * Checks everything that a request says against its endpoint.
 * @throws {Failure} 422 with what is wrong in every part; 400 when the body is not JSON
 */
export function parseInput(c: HonoContext, endpoint: Endpoint, body: string): Input {
  const input: Input = {};
  const errors: Partial<Record<Segment, Problem[]>> = {};
  const take = (segment: Segment, schema: Schema, value: unknown): void => {
    const result = check(schema, value);
    if (result.ok) input[segment] = result.value;
    else errors[segment] = result.problems;
  };
  if (endpoint.params !== undefined) take('params', endpoint.params, c.req.param());
  if (endpoint.query !== undefined) {
    const { value, problems } = queryOf(c);
    take('query', endpoint.query, value);
    if (problems.length > 0) errors.query = problems;
  }
  if (endpoint.kind === 'call' && endpoint.body !== undefined) take('body', endpoint.body, valueOf(body));
  if (Object.keys(errors).length > 0) throw new Failure(422, 'Validation failed', { errors });
  return input;
}

/** The query without the token, which may stand there for clients that cannot send headers. */
export function queryOf(c: HonoContext): { value: Record<string, string>; problems: Problem[] } {
  const given = Object.entries(c.req.queries()).filter(([key]) => key !== 'token');
  return {
    value: Object.fromEntries(given.map(([key, [first = '']]) => [key, first])),
    problems: given.flatMap(([field, values]) => (values.length > 1 ? [{ field, message: message.invalid }] : [])),
  };
}

function valueOf(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw failure.rejected('The body is not valid JSON');
  }
}
