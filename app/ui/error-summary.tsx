import { useActionData } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { Icon } from './icon';
import { useActionDataScope } from './page-action-data';

export interface FormError {
  /** Id of the control that the error is about; absent if it is about the whole form. */
  field?: string | undefined;
  text: string;
}

// Focused on page load, also without scripts:
// https://html.spec.whatwg.org/multipage/interaction.html#the-autofocus-attribute
const focusTarget = { autoFocus: true, tabIndex: -1 };

/** The errors of a form, above it, with links to the fields. Takes focus when it appears. */
export function ErrorSummary({ errors }: { errors: FormError[] }) {
  const { t } = useTranslation();
  const box = useRef<HTMLElement>(null);
  useErrorTitle(errors.length > 0);
  // Each response is a new object, even with the same errors.
  const arrived = useActionData();
  const actionData = useActionDataScope().actionData ?? arrived;
  const all = errors.map((error) => error.text).join('\n');
  // Errors that arrived with the page were focused by the browser, and the user may be typing by now.
  const focused = useRef(useHydrated() ? { actionData: undefined as unknown, all: '' } : { actionData, all });

  useEffect(() => {
    const last = focused.current;
    const known = last.all.split('\n');
    // Following a link to a field is a navigation, which clears the response without a new one, and
    // correcting a field removes its error: neither is a new error.
    const isNew =
      all.split('\n').some((text) => !known.includes(text)) || (actionData && last.actionData !== actionData);
    focused.current = { actionData, all };
    if (isNew && all) box.current?.focus();
  }, [actionData, all]);

  if (errors.length === 0) return null;
  return (
    <section ref={box} className="error-summary" aria-labelledby="error-summary-title" {...focusTarget}>
      <h2 id="error-summary-title">
        <Icon name="error" />
        {t('form.problem')}
      </h2>
      <ul>
        {errors.map((error) => (
          <li key={`${error.field ?? ''} ${error.text}`}>
            {error.field ? <a href={`#${error.field}`}>{error.text}</a> : error.text}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Prefixes the document title, as the server does in a full page load. */
function useErrorTitle(hasErrors: boolean): void {
  const { t } = useTranslation();
  const prefix = `${t('form.errorPrefix')} `;
  useEffect(() => {
    if (!hasErrors) return;
    const plain = () => document.title.replace(prefix, '');
    document.title = prefix + plain();
    // A page may have several summaries: each removes only the prefix that it added.
    return () => {
      document.title = plain();
    };
  }, [hasErrors, prefix]);
}
