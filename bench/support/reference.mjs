import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from './gateway.mjs';
import { startNginx } from './nginx.mjs';

/** An nginx that has the configuration of a gateway's own, at another place and on other ports, and nobody to manage it. */
export async function startReference(home) {
  const current = join(home.data, 'ingress', 'current');
  const entries = readdirSync(current, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name));
  const from = [home.ports.http, home.ports.https, home.ports.console];
  const to = await freePorts(from.length);
  let generation = 1;
  let main = '';
  const reference = await startNginx((directory) => {
    const files = Object.fromEntries(
      paths.map((path) => {
        let text = readFileSync(path, 'utf8').replaceAll(join(home.data, 'ingress'), directory);
        for (const [index, port] of from.entries()) text = text.replaceAll(listenOn(port), `$1${to[index]}$2`);
        return [path.slice(current.length + 1), text.replace(/^daemon on;$/m, 'daemon off;')];
      }),
    );
    main = files['nginx.conf'] ?? '';
    return { ...files, 'nginx.conf': numbered(main, generation) };
  });
  await reference.serves(generation);
  return {
    /** Tests the configuration and reloads it; resolves when the new one is served. */
    async renew() {
      generation += 1;
      reference.put({ 'nginx.conf': numbered(main, generation) });
      reference.test();
      reference.reload();
      await reference.serves(generation);
    },
    stop: reference.stop,
  };
}

const listenOn = (port) => new RegExp(String.raw`^(\s*listen \S*:)${port}\b(.*;)$`, 'gm');

function numbered(text, generation) {
  const pattern = /return 200 "\d+ \$pid/;
  if (!pattern.test(text)) throw new Error('the configuration does not say its generation');
  return text.replace(pattern, `return 200 "${generation} $pid`);
}
