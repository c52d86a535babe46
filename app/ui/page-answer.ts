import { useActionData, useLocation, useNavigationType } from '@remix-run/react';
import { useState } from 'react';

/**
 * Names the visit to a page: the same on every step to a fragment of it, such as the field that an error is about, and
 * another after any other navigation.
 */
export function usePageVisit(): string {
  const { pathname, search, key } = useLocation();
  const page = pathname + search;
  const isStep = useNavigationType() === 'POP';
  const [visit, setVisit] = useState({ page, key });
  if ((isStep && visit.page === page) || visit.key === key) return visit.key;
  setVisit({ page, key });
  return key;
}

/** What the page's action answered last during this visit; the router alone forgets it with every step to a fragment. */
export function usePageAnswer<Action>() {
  const visit = usePageVisit();
  const answer = useActionData<Action>();
  const [last, setLast] = useState({ answer, visit });
  const shown = answer ?? (last.visit === visit ? last.answer : undefined);
  if (last.answer !== shown || last.visit !== visit) setLast({ answer: shown, visit });
  return shown;
}
