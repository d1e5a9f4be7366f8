import { accessSync, constants } from 'node:fs';

/** True when this user may give programs a network. Debian gives the device to root only. */
export const hasNetworkDevice = ((): boolean => {
  try {
    accessSync('/dev/net/tun', constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
})();
