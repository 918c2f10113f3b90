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


ABOUT = (
    "fingerprint(bytes, seed): XXH3-64 with a seed. A row's input is a string (its UTF-8 bytes), "
    '{"hex": ...}, or {"sanity": n}: the first n bytes of the buffer of xxHash\'s own sanity check, '
    "where g = 2654435761, and each byte is g >> 56, after which g = g * 11400714785074694797 modulo "
    "2^64. Seed and answer are 16 hex digits. Compare the answers. An implementation that does not "
    "show its fingerprint can be held to the entries of the same lengths in chain.json."
)

# cli/xsum_sanity_check.c of Cyan4973/xxHash: length, value with seed 0, value with seed PRIME64.
PUBLISHED_SEED = 11400714785074694797
PUBLISHED = [
    (0, "2d06800538d394c2", "a8a6b918b2f0364a"),
    (1, "c44bdff4074eecdb", "032be332dd766ef8"),
    (6, "27b56a84cd2d7325", "84589c116ab59ab9"),
    (12, "a713daf0dfbb77e7", "e7303e1b2336de0e"),
    (24, "a3fe70bf9d3510eb", "850e80fc35bdd690"),
    (48, "397da259ecba1f11", "adc2cbaa44acc616"),
    (80, "bcdefbbb2c47c90a", "c6dd0cb699532e73"),
    (195, "cd94217ee362ec3a", "ba68003d370cb3d9"),
    (403, "cdeb804d65c6dea4", "6259f6ecfd6443fd"),
    (512, "617e49599013cb6b", "3ce457de14c27708"),
    (2048, "dd59e2c3a5f038e0", "66f81670669ababc"),
    (2240, "6e73a90539cf2948", "757ba8487d1b5247"),
    (2367, "cb37aeb9e5d361ed", "d2db3415b942b42a"),
]

BOUNDARIES = [
    *(0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129),
    *(143, 144, 145, 159, 160, 239, 240, 241, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025),
    *(1087, 1088, 1089, 2047, 2048, 2049, 3071, 3072, 3073, 4160, 16384, 16385, 100000),
]

TEXTS = [
    *("a", "ab", "abc", "acct-1", "session:42", "session:42 ", "Session:42", "сесия-42", "日本語"),
    *("é", "e\u0301", "🙂", "\u0000", "line\nbreak", "\ufffd", "pointsman/chain/1", "x" * 300),
]


def sanity(size):
    generator, made = 2654435761, bytearray()
    for _ in range(size):
        made.append(generator >> 56)
        generator = generator * PUBLISHED_SEED % M64
    return bytes(made)


def hex64(value):
    return f"{value:016x}"


def bytes_of(described):
    """What a row calls bytes: a string, {"hex": ...} or {"sanity": n}."""
    if isinstance(described, str):
        return described.encode("utf-8")
    if "hex" in described:
        return bytes.fromhex(described["hex"])
    return sanity(described["sanity"])


def row(described, seed=0):
    answer = fingerprint(bytes_of(described), seed)
    return {"input": described, "seed": hex64(seed), "expect": hex64(answer)}


def published_rows():
    for size, plain, seeded in PUBLISHED:
        for seed, value in ((0, plain), (PUBLISHED_SEED, seeded)):
            made = row({"sanity": size}, seed)
            if made["expect"] != value:
                raise SystemExit(f"xxHash publishes {value} for {made}")
            yield {**made, "by_hand": "published in xxHash, cli/xsum_sanity_check.c"}


def vectors():
    draws = Draws(3)
    seeds = (1, 2**32, 2**63, M64 - 1)
    boundary_rows = [
        row({"sanity": size}, seed)
        for size in BOUNDARIES
        for seed in (0, seeds[draws.below(4)], draws.bits())
    ]
    random_rows = [
        row({"hex": bytes(draws.below(256) for _ in range(size)).hex()}, draws.bits())
        for size in (*range(1, 33), 48, 100, 129, 200, 240, 241, 300)
    ]
    text_rows = [row(text, seed) for text in TEXTS for seed in (0, draws.bits())]
    cases = {
        "The values that xxHash publishes hold": list(published_rows()),
        "On both sides of every length at which the hash changes its way": boundary_rows,
        "Random bytes under random seeds, which are no text": random_rows,
        "A string stands for its UTF-8 bytes, not normalised": text_rows,
    }
    named = [{"name": name, "call": "fingerprint", "rows": rows} for name, rows in cases.items()]
    return {"about": ABOUT, "cases": named}
