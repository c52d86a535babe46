import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { useElementId } from './element-id';
import { Icon } from './icon';

interface Props {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  /** Neither Esc nor a click beside it closes the dialog; its own buttons do. */
  staticBackdrop?: boolean;
  children: ReactNode;
}

/** A modal over the page; opens in the browser only. What it holds must exist as a page too. */
export function Dialog({ open, onClose, title, staticBackdrop = false, children }: Props) {
  const { t } = useTranslation();
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useElementId();

  useEffect(() => {
    if (open && !dialog.current?.open) dialog.current?.showModal();
    if (!open) dialog.current?.close();
  }, [open]);

  function onKeyDown(event: KeyboardEvent) {
    // Browsers let a second Esc through although the first was cancelled.
    if (staticBackdrop && event.key === 'Escape') event.preventDefault();
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
        if (!staticBackdrop) onClose();
      }}
      onKeyDown={onKeyDown}
      onClick={onClick}
    >
      {open && (
        <div className="dialog-sheet">
          <div className="dialog-head">
            <h2 id={titleId} tabIndex={-1}>
              {title}
            </h2>
            {!staticBackdrop && (
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
