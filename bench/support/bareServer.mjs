/**
 * A program: the least that a Hono server can be, to be measured against. `node bareServer.mjs FILE BYTES` opens the
 * database and answers every GET with the bytes of the other file; it prints its port.
 */
import { readFileSync } from 'node:fs';
import { serve } from '@hono/node-server';
import Sqlite from 'better-sqlite3';
import { Hono } from 'hono';

const [database = '', bytes] = process.argv.slice(2);
const open = new Sqlite(database, { readonly: true });
open.pragma('quick_check(1)');

const app = new Hono();
if (bytes !== undefined) {
  const body = readFileSync(bytes, 'utf8');
  app.get('*', (c) => c.body(body, 200, { 'content-type': 'application/json' }));
}
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => process.stdout.write(`${port}\n`));
