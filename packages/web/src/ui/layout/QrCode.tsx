import { encodeQR } from 'qr';

type QrCodeProps = {
  text: string;
  /** Accessible name: what is in it. */
  label: string;
};

/** Light modules around the code, without which a camera does not find it. */
const QUIET = 4;

/** A text for a camera, dark on white in both themes. */
export function QrCode({ text, label }: QrCodeProps) {
  const rows = encodeQR(text, 'raw', { border: QUIET });
  const path = rows.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      shapeRendering="crispEdges"
      className="aspect-square w-full max-w-64 rounded-md ring-1 ring-line"
    >
      <rect width={rows.length} height={rows.length} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
