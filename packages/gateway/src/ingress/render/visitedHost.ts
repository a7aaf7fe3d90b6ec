import { attempt } from '../../rules/attempt.ts';
import { type ConfigText, mapKey, pattern, quoted, whole } from './configText.ts';
import type { RenderOptions } from './desiredState.ts';

/** What a backend is told of the host. */
export const TOLD_HOST = '$told_host$visited_port';
/** For the gateway itself: the host and the port as the visitor has them, by which it knows the pages of its console. */
export const SAID_HOST = '$host$said_port';

const ADDRESS = String.raw`(?:[0-9.]+|\[[0-9a-f:.]+\])`;
const LOOPBACK_NAME = String.raw`localhost(?:\.localdomain)?`;

/** The variables of the host that a visitor names: whether it is the gateway's own, and what backends are told of it. */
export function writeHostVariables(out: ConfigText, options: RenderOptions): void {
  writeForeignNames(out, options);
  writeToldHost(out, options);
}

/** Tells hosts that are neither a domain nor the gateway itself. */
function writeForeignNames(out: ConfigText, { answersTo }: RenderOptions): void {
  out.block('map $host $foreign_name', () => {
    out.line('default 1');
    // nginx takes the server's name where a request names no host at all.
    writeNames(out, ['_', ...answersTo], '""');
    out.line(`${pattern(String.raw`~(?:^|\.)${LOOPBACK_NAME}\z`)} ""`);
    out.line(`${pattern(String.raw`~^${ADDRESS}\z`)} ""`);
  });
}

/**
 * The host and the port that a backend is told. Many make links of it, also in mails, so a visitor may not choose where it
 * leads: not to another port, where a node may have a service, and not to an address that is not the gateway's.
 */
function writeToldHost(out: ConfigText, { answersTo, publicHost, publicHttpsPort }: RenderOptions): void {
  const port = whole(publicHttpsPort, 1, 65_535);
  out.block('map $http_host $said_port', () => {
    out.line(`"~^(?:\\[[0-9A-Fa-f:.]+\\]|[^:\\[\\]]+)(?<port_said>:[1-9][0-9]{0,4})$" $port_said`);
  });
  // The port at which it arrived, or the one by which visitors are known to come.
  out.block('map $said_port:$server_port $visited_port', () => {
    out.line(String.raw`"~^:(?<port_arrived>[0-9]+):\k<port_arrived>$" $said_port`);
    out.line(`"~^:${port}:" $said_port`);
  });
  // The host is the one that chose the server. Where that is the one for no domain, any address does.
  out.block('map $domain_id $told_host', () => {
    out.line('"" $told_name');
    out.line('default $host');
  });
  out.block('map $host $told_name', () => {
    writeNames(out, answersTo, '$host');
    out.line(`${pattern(String.raw`~(?:^_|^${ADDRESS}|(?:^|\.)${LOOPBACK_NAME})\z`)} $told_address`);
    out.line('default $host');
  });
  out.block('map "$host $server_addr" $told_address', () => {
    // Elsewhere they are the machine of anyone who reads the link.
    out.line(String.raw`"~^(?:localhost|127\.[0-9.]+|\[::1\]) (?:127\.|::1$)" $host`);
    out.line(String.raw`"~^\[?(?<own_address>[0-9a-f.:]+)\]? \k<own_address>$" $host`);
    out.line(`default ${quoted(publicHost.includes(':') ? `[${publicHost}]` : publicHost)}`);
  });
}

/** Each name once, with what it stands for: nginx takes none twice. */
function writeNames(out: ConfigText, names: readonly string[], value: string): void {
  for (const name of new Set(names)) {
    // The machine may be called what no visitor can ask for.
    attempt(
      () => out.line(`${mapKey(name)} ${value}`),
      () => undefined,
    );
  }
}
