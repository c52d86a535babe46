import '~/styles/dialog.css';
import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useBackCloses } from './back-closes';
import { Button } from './button';
import { useElementId } from './element-id';
import { Icon } from './icon';

interface Props {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** Neither Esc nor a click on the backdrop closes the dialog; Cancel and the browser's Back button do. */
  staticBackdrop?: boolean;
  children: ReactNode;
}

/** A modal dialog. It needs scripts, so its content must be available as a page too. */
export function Dialog({ open, onClose, title, staticBackdrop = false, children }: Props) {
  const { t } = useTranslation();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useElementId();
  useBackCloses(open, onClose);
  const isEscPressed = useRef(false);

  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open) dialog.current?.close();
  }, [open]);

  function onKey(event: KeyboardEvent) {
    if (!staticBackdrop || event.key !== 'Escape') return;
    isEscPressed.current = event.type === 'keydown';
    // Browsers close the dialog on a second Esc even if the first was prevented.
    event.preventDefault();
  }

  function onClick(event: MouseEvent) {
    if (!staticBackdrop && event.target === dialog.current) onClose();
  }

  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={open ? titleId : undefined}
      onCancel={(event) => {
        event.preventDefault();
        // The Back button of a phone fires `cancel` too.
        if (!isEscPressed.current) onClose();
      }}
      onKeyDown={onKey}
      onKeyUp={onKey}
      onClick={onClick}
    >
      {open && (
        <div className="dialog-sheet">
          <div className="dialog-head">
            <h2 id={titleId} tabIndex={-1}>
              {title}
            </h2>
            {staticBackdrop ? (
              <Button type="button" variant="quiet" onClick={onClose}>
                {t('form.cancel')}
              </Button>
            ) : (
              <button type="button" className="icon-button" onClick={onClose}>
                <Icon name="close" />
                <span className="sr-only">{t('form.close')}</span>
              </button>
            )}
          </div>
          {children}
        </div>
      )}
    </dialog>
  );
}
