import { allowed, refused, type Verdict } from './verdict.ts';

const unlessLocal =
  (reason: string) =>
  ({ isLocal }: { isLocal: unknown }): Verdict =>
    isLocal === true ? refused(reason) : allowed;

/**
 * What may be done to a node: the local node is protected from edit, disable, download, delete and token creation.
 * The gateway refuses by these, the console and the CLI disable by them.
 */
export const nodeCan = {
  update: unlessLocal("Local node can't be updated"),
  enable: unlessLocal("Local node can't be updated"),
  disable: unlessLocal("Local node can't be updated"),
  remove: unlessLocal("Local node can't be deleted"),
  download: unlessLocal("Local node doesn't have wireguard config"),
  createToken: unlessLocal("Local node can't have access tokens"),
};
