import { expect, it } from 'vitest';
import { openAccessLog } from './accessLog.ts';
import { openNginxTrial, visit } from './nginxTrial.ts';

const PORT = 21_011;

it('shows a request to a real nginx within a second', async () => {
  const trial = await openNginxTrial(PORT);
  const log = await openAccessLog(trial.ingress.layout.accessLog);
  await trial.ingress.apply(trial.serving('hello'));
  const heard: string[] = [];
  const came = new Promise<void>((resolve) => {
    log.subscribe({ kind: 'domain', id: 2 }, (lines) => {
      heard.push(...lines.map(({ text }) => text));
      resolve();
    });
  });
  const from = performance.now();
  await visit(PORT, '/some/page?x=%1b%5b31m&y="é');
  await came;
  expect(performance.now() - from).toBeLessThan(1000);
  expect(heard).toHaveLength(1);
  expect(heard[0]).toMatch(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z INFO 127\.0\.0\.1 "GET \/some\/page\?x=%1b%5b31m&y=\\x22.* HTTP\/1\.1" 200 \d+ \d+ms -$/,
  );
  expect(log.recent({ kind: 'http', id: 5 }, 10)).toHaveLength(1);
  log.close();
  await trial.close();
});
