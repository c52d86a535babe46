import { useActionData } from '@remix-run/react';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useHydrated } from 'remix-utils/use-hydrated';
import { Icon } from './icon';
import { useAnswerScope } from './page-answer';

export interface FormError {
  /** Id of the control the sentence is about; without it the error is of the whole form. */
  field?: string | undefined;
  text: string;
}

// Focus on arrival, also without scripts: https://html.spec.whatwg.org/multipage/interaction.html#the-autofocus-attribute
const focusTarget = { autoFocus: true, tabIndex: -1 };

/** What is wrong with a form, at its top, with links to where it can be mended. Takes the focus when it appears. */
export function ErrorSummary({ errors }: { errors: FormError[] }) {
  const { t } = useTranslation();
  const box = useRef<HTMLElement>(null);
  useErrorTitle(errors.length > 0);
  // Each answer of the server is a new object, even with the same errors in it.
  const arrived = useActionData();
  const answer = useAnswerScope().answer ?? arrived;
  const all = errors.map((error) => error.text).join('\n');
  // What arrived with the page has been focused by the browser, and somebody may be typing by now.
  const focused = useRef(useHydrated() ? { answer: undefined as unknown, all: '' } : { answer, all });

  useEffect(() => {
    const last = focused.current;
    const known = last.all.split('\n');
    // Following a link to a field is a navigation too, which takes the answer away but brings no new one; and a
    // field that is being corrected takes its error away.
    const isNew = all.split('\n').some((text) => !known.includes(text)) || (answer && last.answer !== answer);
    focused.current = { answer, all };
    if (isNew && all) box.current?.focus();
  }, [answer, all]);

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

/** The server writes the prefix into a whole page; an answer that React shows has to be named here. */
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
