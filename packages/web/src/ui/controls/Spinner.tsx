import { LoaderCircle } from 'lucide-react';
import { VisuallyHidden } from '../layout/VisuallyHidden.tsx';

type SpinnerProps = {
  /** Edge in pixels. */
  size?: number;
  /** Announced text; leave out where the place already says that it is busy. */
  label?: string;
};

/** Something is under way. */
export function Spinner({ size = 16, label }: SpinnerProps) {
  return (
    <span className="inline-flex" {...(label ? { role: 'status' } : {})}>
      <LoaderCircle size={size} className="animate-spin" aria-hidden />
      {label ? <VisuallyHidden>{label}</VisuallyHidden> : null}
    </span>
  );
}
