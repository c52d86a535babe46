import { type FormEvent, useRef, useState } from 'react';
import { sendChoice } from './consent-choice';

export type BannerTexts = Record<
  'label' | 'text' | 'accept' | 'reject' | 'customise' | 'saved' | 'failed',
  string
>;

interface Props {
  texts: BannerTexts;
  isSaved: boolean;
  onSave: () => void;
}

/**
 * Asks for consent. Its form gets a 204 response, so that the page stays as it is; without scripts, the style
 * sheet detects the submission by the `:user-valid` state of its buttons, which are inputs for this reason.
 * It contains no link, so that the skip link stays the first one.
 */
export function ConsentBanner({ texts, isSaved, onSave }: Props) {
  const section = useRef<HTMLElement>(null);
  const [hasFailed, setHasFailed] = useState(false);

  async function onSubmit(event: FormEvent<HTMLFormElement>) {
    const { submitter } = event.nativeEvent as SubmitEvent;
    if (!(submitter instanceof HTMLInputElement)) return;
    event.preventDefault();
    const form = event.currentTarget;
    const sent = sendChoice(form, submitter);
    // Clears `:user-valid`: with scripts, the page confirms the choice only once it is stored.
    form.reset();
    const isStored = await sent;
    setHasFailed(!isStored);
    if (!isStored) return;
    // The pressed button disappears: moves the focus, unless it has moved elsewhere by now.
    if (section.current?.contains(document.activeElement)) section.current.focus();
    onSave();
  }

  return (
    <section
      ref={section}
      className={isSaved ? 'consent saved' : 'consent'}
      aria-label={texts.label}
      tabIndex={-1}
    >
      <form method="post" action="/cookies?stay" onSubmit={onSubmit}>
        <p>{texts.text}</p>
        <input type="submit" className="button secondary small" name="all" value={texts.accept} />{' '}
        <input type="submit" className="button secondary small" name="none" value={texts.reject} />{' '}
        <button type="submit" className="button quiet small" formMethod="get" formAction="/cookies">
          {texts.customise}
        </button>
      </form>
      <p role="status" data-saved={texts.saved}>
        {isSaved ? texts.saved : hasFailed && texts.failed}
      </p>
    </section>
  );
}
