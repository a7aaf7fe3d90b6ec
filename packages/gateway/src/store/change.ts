import type { Rows, TokenRow } from './rows.ts';

/** The tables that the outside world is made of, by the kind of their rows. */
export type TableOfKind = {
  node: 'nodes';
  domain: 'domains';
  httpService: 'httpServices';
  tcpService: 'tcpServices';
};
export type RowKind = keyof TableOfKind;
export type RowOfKind<Kind extends RowKind> = Rows[TableOfKind[Kind]];

/** One row before and after a write; no `before`: it was created, no `after`: it is gone. */
export type Change<Kind extends RowKind = RowKind> = {
  [Each in Kind]: {
    kind: Each;
    id: number;
    before: RowOfKind<Each> | null;
    after: RowOfKind<Each> | null;
    /** The access tokens that went with a node. */
    tokens?: TokenRow[];
    /** The idempotency key that was kept with it. */
    key?: { caller: string; keyHash: string };
  };
}[Kind];
