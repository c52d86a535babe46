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
 * Asks once. The answer to its form is 204, so that the page stays as it is; without scripts the style sheet shows
 * that it was sent, by the `:user-valid` that sending gives to inputs, which its buttons are for this reason. No link
 * stands before the skip link.
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
    // With scripts the page says so only once it is true.
    form.reset();
    const isStored = await sent;
    setHasFailed(!isStored);
    if (!isStored) return;
    // The button pressed leaves; whoever is elsewhere by now stays there.
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
