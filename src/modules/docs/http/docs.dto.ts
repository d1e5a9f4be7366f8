import { ApiProperty } from '@nestjs/swagger';

export class IndexView {
  @ApiProperty() name!: string;
  @ApiProperty() version!: string;
  @ApiProperty() docs_url!: string;
  @ApiProperty() openapi_url!: string;
}

class IndexMeta {
  @ApiProperty() request_id!: string;
}

export class IndexAnswer {
  @ApiProperty({ type: IndexView }) data!: IndexView;
  @ApiProperty({ type: IndexMeta }) meta!: IndexMeta;
}
