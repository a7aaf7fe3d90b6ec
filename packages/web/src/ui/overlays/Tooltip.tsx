import {
  cloneElement,
  useId,
  useState,
  type FocusEvent,
  type PointerEvent,
  type ReactElement,
  type ReactNode,
} from 'react';
import { useTimer } from '../controls/useTimer.ts';
import { lazyPart } from './lazyPart.tsx';
import type { TooltipSide } from './TooltipPopup.tsx';

// The popup and its positioning are fetched when the first tooltip is wanted, not with the screen.
// Without it everything works.
const TooltipPopup = lazyPart(
  async () => (await import('./TooltipPopup.tsx')).TooltipPopup,
  () => null,
);

type TriggerProps = {
  'aria-describedby'?: string | undefined;
  onPointerEnter?: ((event: PointerEvent<HTMLElement>) => void) | undefined;
  onPointerLeave?: ((event: PointerEvent<HTMLElement>) => void) | undefined;
  onPointerDown?: ((event: PointerEvent<HTMLElement>) => void) | undefined;
  onFocus?: ((event: FocusEvent<HTMLElement>) => void) | undefined;
  onBlur?: ((event: FocusEvent<HTMLElement>) => void) | undefined;
};

type TooltipProps = {
  content: ReactNode;
  side?: TooltipSide | undefined;
  /** The content is the trigger's accessible name already, so it is not announced a second time. */
  isName?: boolean | undefined;
  /** One focusable element that takes pointer and focus handlers. */
  children: ReactElement;
};

/** Time the pointer rests before the tooltip appears. */
const OPEN_MS = 400;
/** Time to move the pointer from the trigger onto the tooltip. */
const CLOSE_MS = 120;

/** Shows a short text on hover and on keyboard focus; Escape hides it. */
export function Tooltip({ content, side = 'top', isName = false, children }: TooltipProps) {
  const id = useId();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const timer = useTimer();

  const trigger = children as ReactElement<TriggerProps>;
  const own = trigger.props;
  const schedule = (next: HTMLElement | null, delayMs: number) => {
    timer.start(() => setAnchor(next), delayMs);
  };
  const hide = () => {
    timer.stop();
    setAnchor(null);
  };

  return (
    <>
      {cloneElement(trigger, {
        'aria-describedby': anchor && !isName ? id : own['aria-describedby'],
        onPointerEnter(event) {
          own.onPointerEnter?.(event);
          if (event.pointerType !== 'touch') schedule(event.currentTarget, OPEN_MS);
        },
        onPointerLeave(event) {
          own.onPointerLeave?.(event);
          schedule(null, CLOSE_MS);
        },
        onPointerDown(event) {
          own.onPointerDown?.(event);
          hide();
        },
        onFocus(event) {
          own.onFocus?.(event);
          if (event.currentTarget.matches(':focus-visible')) schedule(event.currentTarget, 0);
        },
        onBlur(event) {
          own.onBlur?.(event);
          hide();
        },
      })}
      {anchor ? (
        <TooltipPopup
          id={id}
          anchor={anchor}
          side={side}
          hidden={isName}
          onClose={hide}
          onPointerEnter={timer.stop}
          onPointerLeave={() => schedule(null, CLOSE_MS)}
        >
          {content}
        </TooltipPopup>
      ) : null}
    </>
  );
}
