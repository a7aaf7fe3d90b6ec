import { Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { useConnection } from '../data/connection.ts';
import { useTitle } from '../state/browser.ts';
import { buttonClass } from '../ui/controls/Button.tsx';
import { MessagePage } from '../ui/layout/MessagePage.tsx';
import { Shell } from './Shell.tsx';

/** Any path that the console does not know; the shell stands around it for an administrator who is signed in. */
export function NotFoundPage() {
  const within = useConnection().session.token() !== null;
  useTitle('Page not found');
  const page = (
    <MessagePage
      within={within}
      icon={<SearchX aria-hidden />}
      title="Hmm...this page doesn't exist. Try searching for something else!"
      action={
        <Link to="/" className={buttonClass({ variant: 'info' })}>
          Back To Home
        </Link>
      }
    />
  );
  return within ? <Shell>{page}</Shell> : page;
}
