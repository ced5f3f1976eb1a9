# after tag
kernel gemm(%M: i32, %N: i32, %K: i32, %A: ptr<f16>, %B: ptr<f16>, %C: ptr<f16>) grid(2) {
  body {
    %a: tensor<f16,2> = tensor %A, %M, %K, %K, 1 | tag=iteration
    %b: tensor<f16,2> = tensor %B, %N, %K, %K, 1 | tag=iteration
    %c: tensor<f16,2> = tensor %C, %M, %N, %N, 1 | tag=iteration
    grid %i: i32 = 0, < %M, 128; %j: i32 = 0, < %N, 256 | tag=iteration {
      %acc: tile<f32,128x256> = full 0 | tag=tile
      %acc.2: tile<f32,128x256> = for %k: i32 = 0, < %K, 64; %acc.3: tile<f32,128x256> = %acc pipeline(4,2) | tag=iteration {
        %ta: tile<f16,128x64> = load %a, %i, %k | tag=load skip_oob=1
        %tb: tile<f16,256x64> = load %b, %j, %k | tag=load skip_oob=1
        %1: tile<f16,64x256> = trans %tb | tag=tile
        %acc.4: tile<f32,128x256> = dot %ta, %1, %acc.3 | tag=tile
        yield %acc.4 | tag=iteration
      }
      for %subtile: i32 = 0, < 256, 64 | tag=iteration {
        %acc.5: tile<f32,128x64> = columns %acc.2, %subtile | tag=tile
        %2: tile<f16,128x64> = cast %acc.5 | tag=tile
        %column: i32 = scalar_add %j, %subtile | tag=iteration
        store %c, %i, %column, %2 | tag=tile
      }
    }
  }
}
