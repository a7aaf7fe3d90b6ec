import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { clientOf, errorOf } from '../testing/client.ts';
import { fileNameOf } from './download.ts';

describe('the name of a download', () => {
  test.each([
    [null, 'config.conf'],
    ['', 'config.conf'],
    ['attachment', 'config.conf'],
    ['attachment; filename=', 'config.conf'],
    ['attachment; filename="edge-1.conf"', 'edge-1.conf'],
    ['attachment; filename=edge-1.conf', 'edge-1.conf'],
    ['ATTACHMENT; FILENAME = "edge.conf" ; size=5', 'edge.conf'],
    ['attachment; filename="a;b.conf"', 'a;b.conf'],
    ['attachment; filename="say \\"hi\\".conf"', 'say _hi_.conf'],
    ["attachment; filename*=UTF-8''n%C3%A6tt%20%E2%82%AC.conf", 'nætt €.conf'],
    ['attachment; filename="plain.conf"; filename*=utf-8\'en\'better.conf', 'better.conf'],
    ['attachment; filename*=UTF-8\'\'%E0%A4; filename="plain.conf"', 'plain.conf'],
    ["attachment; filename*=iso-8859-1''%A3; filename=plain.conf", 'plain.conf'],
    ['attachment; filename="../../etc/cron.d/x"', 'x'],
    ['attachment; filename="C:\\\\windows\\\\x.conf"', 'x.conf'],
    ["attachment; filename*=UTF-8''..%2F..%2Fx.conf", 'x.conf'],
    ["attachment; filename*=UTF-8''x%00%1B%5B31m%E2%80%AEfnoc", 'x[31mfnoc'],
    ['attachment; filename=".."', 'config.conf'],
    ['attachment; filename="..."', 'config.conf'],
    ['attachment; filename=".bashrc"', 'bashrc'],
    ['attachment; filename="dir/"', 'config.conf'],
    [`attachment; filename="${'x'.repeat(5000)}"`, 'x'.repeat(200)],
  ])('of %j is %j', (header, name) => {
    expect(fileNameOf(header, 'config.conf')).toBe(name);
  });

  test('is a bare, printable name whatever the header says', () => {
    const character = fc.integer({ min: 0, max: 0x2fff }).map((code) => String.fromCodePoint(code));
    const text = fc.string({ unit: fc.oneof(fc.constantFrom('.', '/', '\\', '"', ';', '%', ' '), character) });
    const header = fc.oneof(
      text,
      text.map((name) => `attachment; filename="${name}"`),
      text.map((name) => `attachment; filename*=UTF-8''${encodeURIComponent(name)}`),
    );
    fc.assert(
      fc.property(header, (value) => {
        expect(fileNameOf(value, 'config.conf')).toMatch(
          /^[^\p{Cc}/\\:*?"<>|.\s](?:[^\p{Cc}/\\:*?"<>|]*[^\p{Cc}/\\:*?"<>|.\s])?$/u,
        );
      }),
    );
  });
});

describe('a download', () => {
  const download = (reply: () => Response) => clientOf(reply).client.node.download({ params: { id: 2 } });

  test('carries name, type and bytes', async () => {
    const headers = { 'content-disposition': 'attachment; filename="edge.conf"', 'content-type': 'text/plain' };
    const file = await download(() => new Response('[Interface]\n', { headers }));
    expect(file).toMatchObject({ name: 'edge.conf', type: 'text/plain' });
    expect(await file.data.text()).toBe('[Interface]\n');
  });

  test('without a type is only bytes, and is never decoded', async () => {
    const bytes = new Uint8Array([0, 255, 128]);
    const file = await download(() => new Response(bytes));
    expect(file).toMatchObject({ name: 'config.conf', type: 'application/octet-stream' });
    expect(new Uint8Array(await file.data.arrayBuffer())).toEqual(bytes);
  });

  test('that is refused, or breaks off, is an error', async () => {
    const refused = download(() => Response.json({ message: 'No config' }, { status: 400 }));
    await expect(refused).rejects.toMatchObject({ kind: 'rejected', message: 'No config' });
    const broken = () => new ReadableStream({ start: (controller) => controller.error(new TypeError('terminated')) });
    expect((await errorOf(download(() => new Response(broken())))).kind).toBe('unreachable');
  });
});
