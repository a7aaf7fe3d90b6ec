// Goes before a gateway's program (`node --import`) and kills it, as `kill -9` does, right before a step of its start that KILL_AT
// names: `exec:N`, the Nth script of SQL (a step of a migration is one); `pragma:TEXT`; `migrated:N`, the Nth statement after a
// migration; `rename:PATH`, a file that takes its place.
import fs from 'node:fs';
import { createRequire, syncBuiltinESMExports } from 'node:module';

const [kind, what = ''] = (process.env.KILL_AT ?? '').split(':');
const die = () => process.kill(process.pid, 'SIGKILL');

const require = createRequire(new URL('../../packages/gateway/package.json', import.meta.url));
const { prototype } = require('better-sqlite3');
let scripts = 0;
let statements = 0;
let isMigrated = false;

const { exec, pragma, prepare } = prototype;
prototype.exec = function (...args) {
  scripts += 1;
  if (kind === 'exec' && scripts === Number(what)) die();
  return Reflect.apply(exec, this, args);
};
prototype.pragma = function (...args) {
  if (kind === 'pragma' && args[0].includes(what)) die();
  isMigrated ||= args[0].startsWith('application_id =');
  return Reflect.apply(pragma, this, args);
};
prototype.prepare = function (...args) {
  if (isMigrated) statements += 1;
  if (kind === 'migrated' && statements === Number(what)) die();
  return Reflect.apply(prepare, this, args);
};

for (const [from, name] of [
  [fs, 'renameSync'],
  [fs.promises, 'rename'],
]) {
  const rename = from[name];
  from[name] = (source, target) => {
    if (kind === 'rename' && String(target).endsWith(what)) die();
    return rename(source, target);
  };
}
syncBuiltinESMExports();
