import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { AnswerMeta } from '../../../platform/http/page.js';
import { SHOWN_SETTING_SOURCES, type ShownSetting, type ShownSettings } from '../requests/project-settings.service.js';

const SOURCE = {
  enum: SHOWN_SETTING_SOURCES,
  description:
    'set: by the project. file: by a file of the repository. detected: by the build. default: of the service. ' +
    'unknown: there is no build yet that says it.',
};

class TextSettingView {
  @ApiProperty({ type: String, nullable: true, description: '`null` for nothing, or if unknown.' })
  value!: string | null;
  @ApiProperty(SOURCE) source!: ShownSetting['source'];
}

class NumberSettingView {
  @ApiProperty({ type: 'integer', nullable: true, description: '`null` for nothing, or if unknown.' })
  value!: number | null;
  @ApiProperty(SOURCE) source!: ShownSetting['source'];
}

class SettingsView {
  @ApiProperty({ type: TextSettingView }) framework!: TextSettingView;
  @ApiProperty({ type: TextSettingView }) root_directory!: TextSettingView;
  @ApiProperty({ type: TextSettingView }) install_command!: TextSettingView;
  @ApiProperty({ type: TextSettingView }) build_command!: TextSettingView;
  @ApiProperty({ type: TextSettingView }) output_directory!: TextSettingView;
  @ApiProperty({ type: TextSettingView }) node_version!: TextSettingView;
  @ApiProperty({ type: TextSettingView }) start_command!: TextSettingView;
  @ApiProperty({ type: TextSettingView }) health_path!: TextSettingView;
  @ApiProperty({ type: NumberSettingView }) start_timeout_ms!: NumberSettingView;
  @ApiProperty({ type: TextSettingView }) build_network!: TextSettingView;
}

export class ProjectSettingsView {
  @ApiPropertyOptional({
    type: String,
    example: 'dpl_01jd3m8yeqf5rb0xkq5ym8s6tn',
    description: 'The deploy whose build says what the project does not set. Absent before the first ready deploy.',
  })
  deploy_id?: string;
  @ApiProperty({ type: SettingsView }) settings!: SettingsView;

  static of({ deployId, settings }: ShownSettings): ProjectSettingsView {
    return { ...(deployId === null ? {} : { deploy_id: deployId }), settings: settings as SettingsView };
  }
}

export class ProjectSettingsAnswer {
  @ApiProperty({ type: ProjectSettingsView }) data!: ProjectSettingsView;
  @ApiProperty({ type: AnswerMeta }) meta!: AnswerMeta;
}
