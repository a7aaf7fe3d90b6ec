import type { DomainRow, HttpServiceRow, NodeRow, TcpServiceRow, TokenRow } from './rows.ts';

/** The rows that the outside world is made of, by their kind. */
export type RowOfKind = {
  node: NodeRow;
  domain: DomainRow;
  httpService: HttpServiceRow;
  tcpService: TcpServiceRow;
};

export type RowKind = keyof RowOfKind;

/** One row before and after a write; no `before`: it was created, no `after`: it is gone. */
export type Change = {
  [Kind in RowKind]: {
    kind: Kind;
    id: number;
    before: RowOfKind[Kind] | null;
    after: RowOfKind[Kind] | null;
    /** The access tokens that went with a node. */
    tokens?: TokenRow[];
    /** The idempotency key that was kept with it. */
    key?: { caller: string; keyHash: string };
  };
}[RowKind];
