import { createFakeIngress } from './fakeIngress.ts';
import { describeIngress } from '../ingress/nginx/ingress.contract.ts';

describeIngress('in memory', () => {
  const ingress = createFakeIngress();
  ingress.rejectWhen((files) => {
    const broken = files.find(({ path }) => path === 'broken.conf');
    return broken === undefined ? null : { message: 'unknown directive', file: broken.path, line: 3 };
  });
  return Promise.resolve({
    ingress,
    serving: (word) => [{ path: 'nginx.conf', text: `${word} ${ingress.layout.generationMark}` }],
    broken: () => [
      { path: 'nginx.conf', text: 'include broken.conf;' },
      { path: 'broken.conf', text: '\n\nno_such_directive;' },
    ],
    visit: () => Promise.resolve(ingress.served()?.files[0]?.text ?? null),
    crash: () => {
      ingress.crash();
      return Promise.resolve();
    },
    close: () => {
      ingress.close();
      return Promise.resolve();
    },
  });
});
