import { ModuleSettings } from '../../platform/config/module-settings.js';
import { TextSetting } from '../../platform/config/setting.js';

export class BackupSettings extends ModuleSettings {
  @TextSetting({
    name: 'BACKUP_PASSPHRASE',
    summary:
      'Passphrase that backups are encrypted with and that restoring them takes. Keep it in another place than the backups.',
    unset: 'backups are not encrypted',
    see: 'operations/backup.md#encryption',
    minLength: 12,
  })
  readonly passphrase: string | undefined = undefined;
}
