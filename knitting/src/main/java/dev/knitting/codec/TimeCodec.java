package dev.knitting.codec;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;

/** Values of {@code java.time} inside structures. A class of its own: a worker without such values never loads it. */
final class TimeCodec {
    private TimeCodec() {}

    /** Writes the value with its tag, or returns false if it is none of these. */
    static boolean write(Object value, ByteWriter out) {
        return writePoint(value, out) || writeZone(value, out) || writePart(value, out);
    }

    private static boolean writePoint(Object value, ByteWriter out) {
        if (value instanceof Instant instant) {
            out.putByte(PayloadTag.INSTANT);
            out.putLong(instant.getEpochSecond());
            out.putInt(instant.getNano());
        } else if (value instanceof Duration duration) {
            out.putByte(PayloadTag.DURATION);
            out.putLong(duration.getSeconds());
            out.putInt(duration.getNano());
        } else if (value instanceof LocalDate date) {
            out.putByte(PayloadTag.LOCAL_DATE);
            out.putLong(date.toEpochDay());
        } else if (value instanceof LocalTime time) {
            out.putByte(PayloadTag.LOCAL_TIME);
            out.putLong(time.toNanoOfDay());
        } else if (value instanceof LocalDateTime dateTime) {
            out.putByte(PayloadTag.LOCAL_DATE_TIME);
            putDateTime(dateTime, out);
        } else {
            return false;
        }
        return true;
    }

    private static boolean writeZone(Object value, ByteWriter out) {
        if (value instanceof OffsetDateTime dateTime) {
            out.putByte(PayloadTag.OFFSET_DATE_TIME);
            putDateTime(dateTime.toLocalDateTime(), out);
            out.putInt(dateTime.getOffset().getTotalSeconds());
        } else if (value instanceof ZonedDateTime dateTime) {
            out.putByte(PayloadTag.ZONED_DATE_TIME);
            putDateTime(dateTime.toLocalDateTime(), out);
            out.putInt(dateTime.getOffset().getTotalSeconds());
            StructureWriter.writeString(dateTime.getZone().getId(), out);
        } else if (value instanceof OffsetTime time) {
            out.putByte(PayloadTag.OFFSET_TIME);
            out.putLong(time.toLocalTime().toNanoOfDay());
            out.putInt(time.getOffset().getTotalSeconds());
        } else if (value instanceof ZoneOffset offset) {
            out.putByte(PayloadTag.ZONE_OFFSET);
            out.putInt(offset.getTotalSeconds());
        } else if (value instanceof ZoneId zone) {
            out.putByte(PayloadTag.ZONE_REGION);
            StructureWriter.writeString(zone.getId(), out);
        } else {
            return false;
        }
        return true;
    }

    private static boolean writePart(Object value, ByteWriter out) {
        if (value instanceof Year year) {
            out.putByte(PayloadTag.YEAR);
            out.putInt(year.getValue());
        } else if (value instanceof YearMonth month) {
            out.putByte(PayloadTag.YEAR_MONTH);
            out.putInt(month.getYear());
            out.putByte(month.getMonthValue());
        } else if (value instanceof MonthDay day) {
            out.putByte(PayloadTag.MONTH_DAY);
            out.putByte(day.getMonthValue());
            out.putByte(day.getDayOfMonth());
        } else if (value instanceof Period period) {
            out.putByte(PayloadTag.PERIOD);
            out.putInt(period.getYears());
            out.putInt(period.getMonths());
            out.putInt(period.getDays());
        } else {
            return false;
        }
        return true;
    }

    private static void putDateTime(LocalDateTime dateTime, ByteWriter out) {
        out.putLong(dateTime.toLocalDate().toEpochDay());
        out.putLong(dateTime.toLocalTime().toNanoOfDay());
    }

    /**
     * What {@link #write} wrote, after its tag.
     *
     * @throws Refusal if the tag is none of this class, or its bytes make no value
     */
    static Object read(byte tag, ByteReader in) {
        try {
            return readChecked(tag, in);
        } catch (DateTimeException | ArithmeticException e) {
            throw Refusal.corrupt(e, "not a time", "tag", tag);
        }
    }

    private static Object readChecked(byte tag, ByteReader in) {
        return switch (tag) {
            case PayloadTag.INSTANT -> instant(in.getLong(), in.getInt());
            case PayloadTag.DURATION -> duration(in.getLong(), in.getInt());
            case PayloadTag.LOCAL_DATE -> LocalDate.ofEpochDay(in.getLong());
            case PayloadTag.LOCAL_TIME -> LocalTime.ofNanoOfDay(in.getLong());
            case PayloadTag.LOCAL_DATE_TIME -> getDateTime(in);
            case PayloadTag.OFFSET_DATE_TIME ->
                OffsetDateTime.of(getDateTime(in), ZoneOffset.ofTotalSeconds(in.getInt()));
            case PayloadTag.OFFSET_TIME ->
                OffsetTime.of(LocalTime.ofNanoOfDay(in.getLong()), ZoneOffset.ofTotalSeconds(in.getInt()));
            case PayloadTag.ZONED_DATE_TIME -> {
                LocalDateTime dateTime = getDateTime(in);
                ZoneOffset offset = ZoneOffset.ofTotalSeconds(in.getInt());
                yield ZonedDateTime.ofInstant(dateTime, offset, ZoneId.of(StandardCodec.text(in)));
            }
            case PayloadTag.ZONE_OFFSET -> ZoneOffset.ofTotalSeconds(in.getInt());
            case PayloadTag.ZONE_REGION -> ZoneId.of(StandardCodec.text(in));
            case PayloadTag.YEAR -> Year.of(in.getInt());
            case PayloadTag.YEAR_MONTH -> YearMonth.of(in.getInt(), in.getByte());
            case PayloadTag.MONTH_DAY -> MonthDay.of(in.getByte(), in.getByte());
            case PayloadTag.PERIOD -> Period.of(in.getInt(), in.getInt(), in.getInt());
            default -> throw Refusal.corrupt("no such tag", "tag", tag);
        };
    }

    /**
     * An instant from its two words.
     *
     * @throws DateTimeException if there is no such instant
     */
    static Instant instant(long seconds, long nanos) {
        return Instant.ofEpochSecond(seconds, checkNanos(nanos));
    }

    /**
     * A duration from its two words.
     *
     * @throws DateTimeException if the nanoseconds are no part of a second
     */
    static Duration duration(long seconds, long nanos) {
        return Duration.ofSeconds(seconds, checkNanos(nanos));
    }

    private static long checkNanos(long nanos) {
        if (nanos < 0 || nanos > 999_999_999) {
            throw new DateTimeException("nanoseconds are no part of a second: nanos=" + nanos);
        }
        return nanos;
    }

    private static LocalDateTime getDateTime(ByteReader in) {
        return LocalDateTime.of(LocalDate.ofEpochDay(in.getLong()), LocalTime.ofNanoOfDay(in.getLong()));
    }
}
