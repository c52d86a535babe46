import { useLocation } from '@remix-run/react';
import { type PointerEvent, type ReactNode, useEffect, useRef } from 'react';
import { Icon } from './icon';

const CLOSE_DELAY_MS = 300;

interface Props {
  id: string;
  label: ReactNode;
  children: ReactNode;
}

/**
 * A button and the panel it opens: a native popover, which opens and closes (also by Esc) without scripts.
 */
export function Dropdown({ id, label, children }: Props) {
  const panel = usePopover<HTMLDivElement>();
  const timer = useRef<ReturnType<typeof setTimeout>>();

  useEffect(() => () => clearTimeout(timer.current), []);

  function onPointerLeave(event: PointerEvent) {
    if (event.pointerType !== 'mouse') return;
    timer.current = setTimeout(() => panel.current?.hidePopover?.(), CLOSE_DELAY_MS);
  }

  return (
    <div
      className="dropdown"
      onPointerLeave={onPointerLeave}
      onPointerEnter={() => clearTimeout(timer.current)}
    >
      <button type="button" className="nav-item" {...{ popovertarget: id }}>
        {label}
        <Icon name="chevron-down" />
      </button>
      <div ref={panel} id={id} className="dropdown-panel" {...{ popover: 'auto' }}>
        {children}
      </div>
    </div>
  );
}

/** Ref for an element with `popover`, which closes on navigation. */
export function usePopover<T extends HTMLElement>() {
  const element = useRef<T>(null);
  const { key } = useLocation();
  useEffect(() => {
    if (key) element.current?.hidePopover?.();
  }, [key]);
  return element;
}
