"""XXH3-64 with a seed, from the xxHash specification (doc/xxhash_spec.md of Cyan4973/xxHash)."""

from .draws import Draws

P32_1, P32_2, P32_3 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
P64_1, P64_2, P64_3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P64_4, P64_5 = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5
MX1, MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25
M64 = 2**64

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
    "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
    "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
)


def u32(data, at):
    return int.from_bytes(data[at : at + 4], "little")


def u64(data, at):
    return int.from_bytes(data[at : at + 8], "little")


def rotate_left(value, by):
    return (value << by | value >> (64 - by)) % M64


def swap_bytes(value, count):
    return int.from_bytes(value.to_bytes(count, "little"), "big")


def folded_product(left, right):
    product = left * right
    return product % M64 ^ product >> 64


def avalanche(h):
    h = (h ^ h >> 37) * MX1 % M64
    return h ^ h >> 32


def avalanche_xxh64(h):
    h = (h ^ h >> 33) * P64_2 % M64
    h = (h ^ h >> 29) * P64_3 % M64
    return h ^ h >> 32


def fingerprint(data, seed=0):
    size = len(data)
    if size == 0:
        return avalanche_xxh64(seed ^ u64(SECRET, 56) ^ u64(SECRET, 64))
    if size <= 3:
        return up_to_3(data, size, seed)
    if size <= 8:
        return up_to_8(data, size, seed)
    if size <= 16:
        return up_to_16(data, size, seed)
    if size <= 128:
        return up_to_128(data, size, seed)
    if size <= 240:
        return up_to_240(data, size, seed)
    return long(data, size, seed)


def up_to_3(data, size, seed):
    combined = data[size - 1] | size << 8 | data[0] << 16 | data[size >> 1] << 24
    flip = ((u32(SECRET, 0) ^ u32(SECRET, 4)) + seed) % M64
    return avalanche_xxh64(flip ^ combined)


def up_to_8(data, size, seed):
    seed ^= swap_bytes(seed % 2**32, 4) << 32
    combined = u32(data, size - 4) | u32(data, 0) << 32
    h = ((u64(SECRET, 8) ^ u64(SECRET, 16)) - seed) % M64 ^ combined
    h ^= rotate_left(h, 49) ^ rotate_left(h, 24)
    h = h * MX2 % M64
    h ^= (h >> 35) + size
    h = h * MX2 % M64
    return h ^ h >> 28


def up_to_16(data, size, seed):
    low = ((u64(SECRET, 24) ^ u64(SECRET, 32)) + seed) % M64 ^ u64(data, 0)
    high = ((u64(SECRET, 40) ^ u64(SECRET, 48)) - seed) % M64 ^ u64(data, size - 8)
    return avalanche((size + swap_bytes(low, 8) + high + folded_product(low, high)) % M64)


def mixed(data, at, secret_at, seed):
    low = u64(data, at) ^ (u64(SECRET, secret_at) + seed) % M64
    high = u64(data, at + 8) ^ (u64(SECRET, secret_at + 8) - seed) % M64
    return folded_product(low, high)


def up_to_128(data, size, seed):
    sum_ = size * P64_1
    for pair in range((size - 1) // 32 + 1):
        sum_ += mixed(data, 16 * pair, 32 * pair, seed)
        sum_ += mixed(data, size - 16 * pair - 16, 32 * pair + 16, seed)
    return avalanche(sum_ % M64)


def up_to_240(data, size, seed):
    sum_ = size * P64_1
    for chunk in range(8):
        sum_ += mixed(data, 16 * chunk, 16 * chunk, seed)
    sum_ = avalanche(sum_ % M64)
    for chunk in range(8, size // 16):
        sum_ += mixed(data, 16 * chunk, 16 * (chunk - 8) + 3, seed)
    sum_ += mixed(data, size - 16, 136 - 17, seed)
    return avalanche(sum_ % M64)


def derived_secret(seed):
    derived = b""
    for at in range(0, len(SECRET), 16):
        derived += ((u64(SECRET, at) + seed) % M64).to_bytes(8, "little")
        derived += ((u64(SECRET, at + 8) - seed) % M64).to_bytes(8, "little")
    return derived


def add_stripe(sums, data, at, secret, secret_at):
    for lane in range(8):
        value = u64(data, at + 8 * lane)
        keyed = value ^ u64(secret, secret_at + 8 * lane)
        sums[lane ^ 1] = (sums[lane ^ 1] + value) % M64
        sums[lane] = (sums[lane] + keyed % 2**32 * (keyed >> 32)) % M64


def scramble(sums, secret):
    for lane in range(8):
        scrambled = sums[lane] ^ sums[lane] >> 47 ^ u64(secret, len(secret) - 64 + 8 * lane)
        sums[lane] = scrambled * P32_1 % M64


def long(data, size, seed):
    secret = derived_secret(seed)
    sums = [P32_3, P64_1, P64_2, P64_3, P64_4, P32_2, P64_5, P32_1]
    stripes_in_block = (len(secret) - 64) // 8
    stripes = (size - 1) // 64
    for stripe in range(stripes):
        in_block = stripe % stripes_in_block
        add_stripe(sums, data, 64 * stripe, secret, 8 * in_block)
        if in_block == stripes_in_block - 1:
            scramble(sums, secret)
    add_stripe(sums, data, size - 64, secret, len(secret) - 64 - 7)
    h = size * P64_1
    for pair in range(4):
        left = sums[2 * pair] ^ u64(secret, 11 + 16 * pair)
        right = sums[2 * pair + 1] ^ u64(secret, 11 + 16 * pair + 8)
        h += folded_product(left, right)
    return avalanche(h % M64)
