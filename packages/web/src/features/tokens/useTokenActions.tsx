import { ApiError } from '@sallyport/sdk';
import type { Token } from '@sallyport/sdk/contract';
import { Ban, Trash2 } from 'lucide-react';
import { useConnection } from '../../data/connection.ts';
import { invoke } from '../../data/invoke.ts';
import { useConfirmed } from '../../data/useConfirmed.tsx';
import { useWrite } from '../../data/useWrite.ts';
import { confirm } from '../../state/dialogs.ts';
import type { MenuAction } from '../../ui/overlays/menuAction.ts';

/** What can be done to an access token, as entries of its row's menu. */
export function useTokenActions(): (token: Token) => MenuAction[] {
  const { client } = useConnection();
  const confirmed = useConfirmed();
  const revoke = useWrite('token.revoke', { done: 'Personal Access Token revoked successfully!' });
  const remove = useWrite('token.remove', { done: 'Personal Access Token deleted successfully!' });
  const paramsOf = ({ nodeId, id }: Token) => ({ params: { id: nodeId, tokenId: id } });

  const disable = async (token: Token) => {
    const accepted = await confirm({
      title: 'Revoke Personal Access Token',
      description: <Warning token={token} text="Access with this token is disabled immediately." />,
      variant: 'danger',
      acceptButtonText: 'Yes, revoke token!',
    });
    // To close it is meant whatever it has become.
    if (accepted) revoke.mutate({ ...paramsOf(token), ifMatch: null });
  };
  const erase = (token: Token) =>
    confirmed({
      row: token,
      question: (shown) => ({
        title: 'Delete Personal Access Token',
        description: <Warning token={shown} text="This permanently deletes the token. It cannot be undone." />,
        variant: 'danger',
        acceptButtonText: 'Yes, delete it!',
      }),
      act: (shown) => remove.mutateAsync({ ...paramsOf(shown), ifMatch: shown.version }),
      read,
    });
  // There is no call for one token alone.
  const read = async ({ id, nodeId }: Token): Promise<Token> => {
    const { data } = await invoke(client, 'token.list', { params: { id: nodeId }, query: {} });
    const found = data.find((token) => token.id === id);
    if (found) return found;
    throw new ApiError('missing', 'Access token not found');
  };

  return (token) => [
    {
      label: 'Revoke',
      icon: <Ban aria-hidden />,
      onSelect: () => void disable(token),
      ...(token.revoked && { disabled: 'It is revoked already' }),
    },
    { label: 'Delete', icon: <Trash2 aria-hidden />, danger: true, onSelect: () => void erase(token) },
  ];
}

/** What happens to the token, which token is meant, and what goes on all the same. */
function Warning({ token, text }: { token: Token; text: string }) {
  return (
    <>
      <p>{text}</p>
      <p className="mt-2">
        <strong>{token.name}</strong>
      </p>
      <p className="mt-2">
        An active tunnel may continue. If the token is compromised, disable the node as well, with Disconnect.
      </p>
    </>
  );
}
