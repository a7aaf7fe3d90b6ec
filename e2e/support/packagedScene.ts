import type { Namespace } from './namespaces.ts';
import { type PackagedCli, unpackCli } from './packagedCli.ts';
import { type HostKeeper, makePackagedHost, type PackagedHost } from './packagedHost.ts';
import { GATEWAY, openTunnelScene, type TunnelScene } from './tunnelScene.ts';

/** A gateway in a network of its own, and hosts around it that have the packaged command. */
export type PackagedScene = TunnelScene & {
  /** Where hosts reach the gateway. */
  url: string;
  /** What an administrator sees of its certificate where the gateway was started. */
  fingerprint: string;
  /** Makes a host out of a network; it is closed with the scene. */
  packagedHost(where: Namespace, keeper?: HostKeeper): Promise<PackagedHost>;
  /** Has a host join, piped, with what it says of itself; fulfilled with the number of its node. */
  joinByCommand(host: PackagedHost, name: string, ...flags: string[]): Promise<number>;
};

/** Unpacks the package and opens a tunnel scene next to it; when either fails, nothing of the other stays. */
export async function openPackagedScene(): Promise<PackagedScene> {
  const [unpacked, opened] = await Promise.allSettled([unpackCli(), openTunnelScene()]);
  if (unpacked.status === 'rejected' || opened.status === 'rejected') {
    if (unpacked.status === 'fulfilled') await unpacked.value.close();
    if (opened.status === 'fulfilled') await opened.value.close();
    throw [unpacked, opened].find((each) => each.status === 'rejected')?.reason;
  }
  return within(opened.value, unpacked.value);
}

function within(scene: TunnelScene, cli: PackagedCli): PackagedScene {
  const { gateway } = scene;
  const hosts: PackagedHost[] = [];
  const url = `https://${GATEWAY}:${gateway.ports.console}`;
  const fingerprint = /SHA-256 ([0-9A-F:]{95})/.exec(gateway.output())?.[1] ?? 'none';
  return {
    ...scene,
    url,
    fingerprint,
    async packagedHost(where, keeper) {
      const host = await makePackagedHost(where, cli.folder, keeper);
      hosts.push(host);
      return host;
    },
    async joinByCommand(host, name, ...flags) {
      const who = ['--pin', fingerprint, '--username', gateway.username, '--password-stdin'];
      const argv = ['login', '--url', url, ...who, '--name', name, ...flags, '--json'];
      const joined = await host.sallyport(argv, gateway.password);
      if (joined.code !== 0) throw new Error(`The host did not join: ${joined.err}`);
      return (JSON.parse(joined.out) as { id: number }).id;
    },
    async close() {
      for (const host of hosts) await host.close();
      await scene.close();
      await cli.close();
    },
  };
}
