import { ModuleSettings } from '../../platform/config/module-settings.js';
import { TextSetting } from '../../platform/config/setting.js';

export class BackupSettings extends ModuleSettings {
  @TextSetting({
    name: 'BACKUP_PASSPHRASE',
    summary: 'Passphrase that encrypts backups and is needed to restore them. Keep it apart from the backups.',
    unset: 'backups are not encrypted',
    see: 'operations/backup.md#encryption',
    minLength: 12,
  })
  readonly passphrase: string | undefined = undefined;
}
