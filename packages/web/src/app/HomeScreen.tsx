import { useNavigate } from '@tanstack/react-router';
import { useConnection } from '../data/connection.ts';
import { useDomainDialogs } from '../features/domains/useDomainActions.tsx';
import { HomePage } from '../features/home/HomePage.tsx';
import { toasts } from '../state/toasts.ts';
import { logFailure } from '../ui/logFailure.ts';

/** Opens a form of another screen, whose code is fetched for it. */
async function opened(open: () => Promise<unknown>): Promise<void> {
  try {
    await open();
  } catch (error) {
    logFailure(error);
    toasts.show('The form could not be loaded: the gateway did not answer.', 'error');
  }
}

const fetchNodes = () => import('../features/nodes/useNodeActions.tsx');

/** Home, from which the form of a node leads to the nodes; those of the first steps lead back. */
export function HomeScreen() {
  const navigate = useNavigate();
  const { client } = useConnection();
  const { openForm: openDomainForm } = useDomainDialogs();
  const createNode = async () => {
    const { openNodeForm } = await fetchNodes();
    if (await openNodeForm()) await navigate({ to: '/nodes' });
  };
  const addNode = async () => {
    const { openNodeForm } = await fetchNodes();
    await openNodeForm();
  };
  const expose = async () => {
    const { openLocalServiceForm } = await import('../features/services/useServiceActions.tsx');
    await openLocalServiceForm(client, 'http');
  };
  return (
    <HomePage
      onCreateNode={() => void opened(createNode)}
      onExpose={() => void opened(expose)}
      onAddNode={() => void opened(addNode)}
      onAddDomain={(domain) => void opened(() => openDomainForm(domain))}
    />
  );
}
