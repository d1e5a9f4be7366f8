import { PaymentsNotConfigured } from '../billing.errors.js';
import { PaymentProvider } from './payment-provider.js';

/** No payment provider is connected. An operator records payments. */
export class ManualPayments extends PaymentProvider {
  readonly takesPayments = false;

  checkout(): Promise<never> {
    return Promise.reject(new PaymentsNotConfigured());
  }

  portal(): Promise<never> {
    return Promise.reject(new PaymentsNotConfigured());
  }

  mirror(): Promise<void> {
    return Promise.resolve();
  }

  eventOf(): never {
    throw new PaymentsNotConfigured();
  }

  checkoutState(): Promise<never> {
    return Promise.reject(new PaymentsNotConfigured());
  }

  isActive(): Promise<boolean> {
    return Promise.resolve(false);
  }

  paidInvoice(): Promise<undefined> {
    return Promise.resolve(undefined);
  }
}
