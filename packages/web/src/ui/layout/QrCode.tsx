import { encodeQR } from 'qr';
import { classes } from './classes.ts';

type QrCodeProps = {
  text: string;
  /** Accessible name: what is in it. */
  label: string;
  /** As wide as there is room, for a camera that does not read it otherwise. */
  large?: boolean;
};

/** Light modules around the code, without which a camera does not find it. */
const QUIET = 4;

/** A camera needs the whole of it, which may be below what is in view. */
const intoView = (code: SVGSVGElement | null) => code?.scrollIntoView({ block: 'nearest' });

/** A text for a camera, dark on white in both themes. */
export function QrCode({ text, label, large = false }: QrCodeProps) {
  const rows = encodeQR(text, 'raw', { border: QUIET });
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      ref={intoView}
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
      className={classes('aspect-square w-full scroll-my-3 rounded-md ring-1 ring-line', !large && 'max-w-64')}
    >
      <rect width={rows.length} height={rows.length} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
