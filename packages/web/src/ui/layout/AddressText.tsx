import { Fragment } from 'react';

/** Before a port, and before each further step of a path. */
const PLACES = /(?<=[^/:])(?=:\d|\/[^/])/g;

/** An address that a narrow place breaks where it is read in one breath, not within a port or a name. */
export function AddressText({ children }: { children: string }) {
  const places = [0, ...[...children.matchAll(PLACES)].map(({ index }) => index)];
  return places.map((from, number) => (
    <Fragment key={from}>
      {from === 0 ? null : <wbr />}
      {children.slice(from, places[number + 1])}
    </Fragment>
  ));
}
