import { Link } from '@tanstack/react-router';
import { useTitle } from '../state/useTitle.ts';
import { buttonClass } from '../ui/controls/Button.tsx';
import { Plain } from './ErrorPage.tsx';

/** Any path that the console does not know. */
export function NotFoundPage() {
  useTitle('Page not found');
  return (
    <Plain
      title="Hmm...this page doesn't exist. Try searching for something else!"
      action={
        <Link to="/" className={buttonClass({ variant: 'info' })}>
          Back To Home
        </Link>
      }
    />
  );
}
