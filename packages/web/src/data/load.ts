import type { Connection } from './connection.ts';
import type { InputNamed, ReadName, ReplyNamed } from './invoke.ts';
import { queriesOf } from './queriesOf.ts';
import { read } from './read.ts';

/** Has an endpoint's reply in the cache before its screen is drawn. */
export function load<N extends ReadName>(
  connection: Connection,
  name: N,
  input: InputNamed<N>,
): Promise<ReplyNamed<N>> {
  return queriesOf(connection).query({ ...read(connection.client, name, input), staleTime: 'static' });
}
