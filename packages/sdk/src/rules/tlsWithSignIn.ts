import type { Domain } from '../contract/domain.ts';
import { message } from '../contract/message.ts';
import type { Problem } from '../contract/problem.ts';
import type { TcpService } from '../contract/tcpService.ts';
import { someNames } from './someNames.ts';

type Tcp = Pick<TcpService, 'name' | 'ssl'>;

/** Cookies know no ports: a TCP service with the certificate of a domain would be sent the sessions of its visitors. */
export function tlsWithSignInProblem(
  ssl: boolean | null | undefined,
  domain: Pick<Domain, 'authentication'> | null,
): Problem | null {
  return ssl && domain?.authentication ? { field: 'ssl', message: message.sslWithSignIn } : null;
}

/** The same where a domain is to have sign-in. @param services the TCP services of the domain */
export function signInWithTlsProblem(authentication: boolean, services: readonly Tcp[]): Problem | null {
  const names = services.filter(({ ssl }) => ssl).map(({ name }) => name);
  if (!authentication || names.length === 0) return null;
  return {
    field: 'authentication',
    message: `Browsers would send the sessions of visitors to its TCP services with TLS, too: ${someNames(names)}. Turn TLS off there or move them to another domain first`,
  };
}
