import { useNavigate } from '@tanstack/react-router';
import { HomePage } from '../features/home/HomePage.tsx';
import { toasts } from '../state/toasts.ts';
import { logFailure } from '../ui/logFailure.ts';

/** Home, from which the form of a node leads to the nodes. */
export function HomeScreen() {
  const navigate = useNavigate();
  const createNode = async () => {
    try {
      const { openNodeForm } = await import('../features/nodes/useNodeActions.tsx');
      if (await openNodeForm()) await navigate({ to: '/nodes' });
    } catch (error) {
      logFailure(error);
      toasts.show('The form could not be loaded: the gateway did not answer.', 'error');
    }
  };
  return <HomePage onCreateNode={() => void createNode()} />;
}
