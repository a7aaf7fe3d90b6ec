import { describeIssuer } from '../certificates/certificateIssuer.contract.ts';
import { createFakeCertificateIssuer } from './fakeCertificateIssuer.ts';

describeIssuer('in memory', () => {
  const issuer = createFakeCertificateIssuer();
  return Promise.resolve({
    issuer,
    loseName: (domain) => issuer.refuse(domain, { kind: 'dns', detail: 'no such name' }),
    findName: (domain) => issuer.refuse(domain, null),
    close: () => Promise.resolve(),
  });
});
