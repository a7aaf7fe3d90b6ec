import type { Client } from '@sallyport/sdk';
import type { OwnNode } from '@sallyport/sdk/contract';
import { Failure } from '../failure.ts';
import type { Secret } from '../secret.ts';
import type { HostConfig, HostConfigFile } from './hostConfig.ts';
import type { Machine } from './machine.ts';
import { type Tunnel, createTunnel, notRoot } from './tunnel.ts';
import { tunnelText } from './tunnelText.ts';

type Connect = (target: { url: string; token?: Secret; pin: string | null }) => Promise<Client>;

/** This host as a node: its configuration, its tunnel, and what its gateway says. */
export type Host = {
  readonly machine: Machine;
  readonly file: HostConfigFile;
  /** The configuration, or a `Failure` that says how to join. */
  config(): HostConfig;
  tunnel(name: string): Tunnel;
  /** A client that acts as this node. */
  client(config: HostConfig): Promise<Client>;
  /** Ends with a sentence unless root runs this. */
  requireRoot(what: string): void;
  /** The node as the gateway knows it, and the file of its tunnel. */
  fetch(config: HostConfig, signal: AbortSignal): Promise<{ node: OwnNode; text: string }>;
};

/** Puts the host together. */
export function createHost(machine: Machine, file: HostConfigFile, connect: Connect): Host {
  const tunnel = (name: string) => createTunnel(machine, file.directory, name);
  const client = (config: HostConfig) => connect(config);
  return {
    machine,
    file,
    tunnel,
    client,
    config() {
      const found = file.read();
      if (found) return found;
      throw new Failure(
        'disconnected',
        'This host is not a node of a gateway.',
        'Join one with `sallyport login --url URL`, or with its token: `sallyport connect --url URL`.',
      );
    },
    requireRoot(what) {
      if (!machine.isRoot) throw notRoot(what);
    },
    async fetch(config, signal) {
      const api = await client(config);
      const [node, wg] = await Promise.all([api.cli.node({}, { signal }), api.cli.wgconfig({}, { signal })]);
      tunnel(config.interface).requireTools(node.isGateway);
      const hasIptables = machine.find('iptables') !== null;
      return { node, text: tunnelText({ interface: config.interface, wg, node, hasIptables }) };
    },
  };
}
