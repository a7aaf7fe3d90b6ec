import Sqlite from 'better-sqlite3';
import { expect, it } from 'vitest';
import { migrate } from '../migrate.ts';
import { migrations } from './migrations.ts';

it('promises nothing for the domains of an older gateway', () => {
  const database = new Sqlite(':memory:');
  migrate(
    database,
    migrations.slice(
      0,
      migrations.findIndex(({ name }) => name === 'domain hsts'),
    ),
  );
  const at = "'2026-11-21T12:00:00.000Z'";
  database.exec(`
    insert into domains (version, created_at, updated_at, domain, ssl, skip_validation, authentication)
    values (1, ${at}, ${at}, 'app.test', 'certbot', 0, 0);
  `);
  migrate(database, migrations);
  expect(database.prepare('select domain, hsts from domains').all()).toEqual([{ domain: 'app.test', hsts: 0 }]);
  database.close();
});
