import type { Node } from '@sallyport/sdk/contract';
import { backendHostRequired } from '@sallyport/sdk/rules';
import type { FieldValues } from 'react-hook-form';
import type { Controlled } from '../../form/controlled.ts';
import { TextField } from '../../form/TextField.tsx';

type BackendHostFieldProps<V extends FieldValues, Out> = Omit<Controlled<V, Out>, 'label' | 'hint'> & { node: Node };

/** The host behind a service: asked for where a node reaches several, else the node itself. */
export function BackendHostField<V extends FieldValues, Out>({
  control,
  name,
  node,
  disabled = false,
}: BackendHostFieldProps<V, Out>) {
  const isAsked = backendHostRequired(node);
  return (
    <TextField
      control={control}
      name={name}
      label="Backend Host"
      hint={isAsked ? undefined : 'The node itself.'}
      mono
      required={isAsked}
      placeholder={isAsked ? (node.isLocal ? '127.0.0.1' : '192.0.2.10') : node.address}
      disabled={disabled || !isAsked}
    />
  );
}
