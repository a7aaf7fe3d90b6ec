import type { Node } from '@sallyport/sdk/contract';

/** What the node form holds; a gateway network has two spellings on the wire, so it is not the contract's table. */
export type NodeFormValues = {
  name: string;
  address: string;
  dns: string;
  keepalive: number | string | null;
  allowInternet: boolean;
  isGateway: boolean;
  gatewayNetworks: { interface: string; subnet: string }[];
  allowAnyDomain: boolean;
  allowedNetworks: string[];
  advanced: boolean;
};

/** A saved node; the token is there when it is new. */
export type SavedNode = Node & { token?: string };
