import { type Domain, SERVICE_PAGE_SIZE } from '@sallyport/sdk/contract';
import { Dependents, hasDependents } from './confirmation.tsx';
import { useRead } from './queries.ts';
import type { Question } from './QuestionDialog.tsx';

/** What is asked before a domain is deleted. */
export const removalOf = ({ domain }: Domain): Question => ({
  title: 'Delete domain',
  text: 'Are you sure you want to delete this domain?',
  about: <DomainDependents domain={domain} />,
  variant: 'danger',
  accept: 'Yes, delete it!',
});

/** What goes with a domain when it is deleted, by name. */
function DomainDependents({ domain }: { domain: string }) {
  const query = { domain, limit: SERVICE_PAGE_SIZE };
  const { data: http } = useRead('httpService.listAll', { query });
  const { data: tcp } = useRead('tcpService.listAll', { query });
  return (
    <>
      <strong>{domain}</strong>:{' '}
      {hasDependents([http, tcp]) ? 'the services that are reached by it go with it.' : 'no service goes with it.'}
      <Dependents of={{ HTTP: http, TCP: tcp }} />
      {http?.data.some(({ builtin }) => builtin) ? <p className="mt-2">The console stays on its own port.</p> : null}
    </>
  );
}
