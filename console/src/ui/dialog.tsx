import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { useClosedByBack } from '../router.ts';
import { strings } from '../strings.ts';
import { Waiting } from './waiting.tsx';

/** Escape, the button and the browser's Back close it; a click beside it does not, since what was typed would be lost. */
export function Dialog({
  title,
  subtitle,
  onClose,
  children,
}: {
  title: string;
  subtitle?: ReactNode;
  onClose: () => void;
  children: ReactNode;
}) {
  useClosedByBack(onClose);
  return (
    <ModalOverlay isOpen onOpenChange={(open) => !open && onClose()} className="overlay">
      <Modal className="modal">
        <AriaDialog className="dialog">
          <header className="dialog-head">
            <div>
              <Heading slot="title">{title}</Heading>
              {subtitle !== undefined && <p className="dialog-subtitle">{subtitle}</p>}
            </div>
            <button type="button" className="icon-button" onClick={onClose} aria-label={strings.close}>
              <span aria-hidden="true">✕</span>
            </button>
          </header>
          {/* The line on top of the page cannot be seen from here. */}
          <Waiting />
          {children}
        </AriaDialog>
      </Modal>
    </ModalOverlay>
  );
}
