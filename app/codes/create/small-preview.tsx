import '~/styles/small-preview.css';
import { type ReactNode, useEffect, useLayoutEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { CodePicture, type Drawn } from '~/codes/code/picture';
import type { FormRef } from './fields';

interface Props {
  formRef: FormRef;
  /** The large preview: while it is in view, no small one is needed. */
  large: Element | null;
  drawn: Drawn;
  children: ReactNode;
}

/**
 * The current code at the top of a phone's window while its form is filled in, because the large preview
 * comes after the form there. Hidden from screen readers, as it duplicates the large one.
 */
export function SmallPreview({ formRef, large, drawn, children }: Props) {
  const [place] = useState(() => document.createElement('div'));
  const isInSight = useInSight(large);

  useLayoutEffect(() => {
    const form = formRef.current;
    if (!form) return;
    const scroller = form.closest('dialog') ?? document.scrollingElement;
    const enteredIn = form.contains(document.activeElement) ? document.activeElement : form.lastElementChild;
    const top = () => enteredIn?.getBoundingClientRect().top ?? 0;
    const before = top();
    place.className = 'small-preview-place';
    form.prepend(place);
    // Keeps the focused field in place.
    scroller?.scrollBy({ top: top() - before, behavior: 'instant' });
    return () => place.remove();
  }, [formRef, place]);

  useEffect(() => {
    const focused = document.activeElement;
    if (isInSight || !focused || !formRef.current?.contains(focused)) return;
    if (focused.getBoundingClientRect().top < place.getBoundingClientRect().bottom) {
      focused.scrollIntoView({ block: 'nearest' });
    }
  }, [formRef, isInSight, place]);

  if (isInSight) return null;
  return createPortal(
    <div className="small-preview" aria-hidden="true">
      <CodePicture drawn={drawn} label="" />
      <div>{children}</div>
    </div>,
    place,
  );
}

function useInSight(element: Element | null): boolean {
  const [isInSight, setInSight] = useState(true);
  useEffect(() => {
    if (!element) return;
    const observer = new IntersectionObserver((entries) => {
      setInSight(entries.at(-1)?.isIntersecting ?? true);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return isInSight;
}
