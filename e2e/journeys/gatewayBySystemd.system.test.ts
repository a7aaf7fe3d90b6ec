import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Namespaces, namespacesProblem, openNamespaces } from '../support/namespaces.ts';
import { makePackagedHost, type PackagedHost, type Unpacked, unpackPackage } from '../support/packagedHosts.ts';
import { systemdKeeper, systemdProblem } from '../support/systemd.ts';
import { eventually } from '../support/tunnelScene.ts';

const problem = (await namespacesProblem()) ?? systemdProblem();
if (problem !== null) process.stderr.write(`skipped: a real systemd runs the gateway, because ${problem}\n`);

const SERVED_MAX_MS = 60_000;
const UNIT = 'sallyport-gateway.service';
const BACKUP = 'sallyport-gateway-backup.service';
/** Of an identity of age that nobody has. */
const RECIPIENT = 'age1087vyhcntfcct39ywhmq9372ecp73gv0gkxhxta3xla5r5erfdpsg4ewah';
// The package is not at its place on this machine; apart from that, the units are as they are installed.
const INSTALL = `set -e
mount -t tmpfs -o mode=755 tmpfs /var/lib
mount -t tmpfs -o mode=755 tmpfs /var/backups
for unit in ${UNIT} ${BACKUP}; do
  sed 's#/usr/bin/sallyport-gateway#/opt/sallyport&#' "/opt/sallyport/usr/lib/systemd/system/$unit" > "/etc/systemd/system/$unit"
done
ip link set lo up
systemctl daemon-reload
systemctl enable --quiet --now ${UNIT}`;

describe.skipIf(problem !== null)('systemd, with the package of the gateway', () => {
  let namespaces: Namespaces;
  let unpacked: Unpacked;
  let host: PackagedHost;

  beforeAll(async () => {
    namespaces = openNamespaces();
    unpacked = await unpackPackage('sallyport-gateway');
    host = await makePackagedHost(await namespaces.add('gateway'), unpacked.folder, systemdKeeper());
    await eventually(
      async () => (await host.run(['systemctl', 'is-system-running'])).out.trim(),
      (state) => state === 'running',
      30_000,
    );
    const { code, err } = await host.run(['sh', '-c', INSTALL]);
    if (code !== 0) throw new Error(`The unit could not be started: ${err}`);
  }, 300_000);
  afterAll(async () => {
    await host?.close();
    await namespaces?.close();
    await unpacked?.close();
  }, 60_000);

  const property = async (name: string) =>
    (await host.run(['systemctl', 'show', '--value', '--property', name, UNIT])).out.trim();
  /** What nginx says of the gateway behind it. */
  const health = async () =>
    (await host.run(['curl', '--silent', '--insecure', '--max-time', '5', 'https://127.0.0.1:9443/healthz'])).out;
  const serves = () => eventually(health, (text) => text.startsWith('{"status":"ok"'), SERVED_MAX_MS);
  const nginx = async () => (await host.run(['pgrep', '--full', '^nginx: master'])).out.trim();
  const tunnel = async () => (await host.run(['ip', 'link', 'show', 'sallyport0'])).code === 0;

  it('runs it within its sandbox, with the tunnel', async () => {
    await serves();
    expect(await health()).toContain('"tunnel":"up"');
    expect(await tunnel()).toBe(true);
  });

  it.each([
    ['is reloaded', ['systemctl', 'reload', UNIT]],
    ['is killed', ['systemctl', 'kill', '--kill-whom=main', '--signal=KILL', UNIT]],
    ['is hung up', ['systemctl', 'kill', '--kill-whom=main', '--signal=HUP', UNIT]],
  ])('begins it again when it %s, and nginx and the tunnel go on meanwhile', async (_, command) => {
    const before = await property('MainPID');
    expect(await nginx()).not.toBe('');
    expect(await host.run(command)).toMatchObject({ code: 0 });
    await eventually(
      async () => {
        expect([await nginx(), await tunnel()]).toEqual([expect.stringMatching(/^\d/), true]);
        return property('MainPID');
      },
      (pid) => pid !== before && pid !== '0',
      SERVED_MAX_MS,
    );
    await serves();
  });

  it('backs it up by the service of the timer, within that one’s sandbox', async () => {
    const command = `mkdir -p /etc/sallyport && echo ${RECIPIENT} > /etc/sallyport/backup.recipient && systemctl start ${BACKUP}`;
    expect(await host.run(['sh', '-c', command])).toMatchObject({ code: 0 });
    const { out } = await host.run(['find', '/var/backups/sallyport', '-name', 'sallyport-*.backup', '-size', '+1k']);
    expect(out.trim().split('\n')).toEqual([expect.stringMatching(/\.backup$/)]);
  });

  it('ends nginx and the tunnel with it, and has them again at the next start', async () => {
    expect(await host.run(['systemctl', 'stop', UNIT])).toMatchObject({ code: 0 });
    expect([await nginx(), await tunnel(), await property('ActiveState')]).toEqual(['', false, 'inactive']);
    expect(await host.run(['systemctl', 'start', UNIT])).toMatchObject({ code: 0 });
    await serves();
    expect(await tunnel()).toBe(true);
  });
});
